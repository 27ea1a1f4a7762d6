"""Results drawn for the terminal: dependency trees and CCG derivations."""
