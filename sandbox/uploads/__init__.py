"""An upload made harmless: a `Source`, or a refusal in words."""
