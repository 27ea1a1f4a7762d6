"""Results drawn: dependency trees and CCG derivations, as text for the terminal and as SVG."""
