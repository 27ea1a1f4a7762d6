"""Results drawn: dependency trees and CCG derivations, as plain text for the terminal."""
