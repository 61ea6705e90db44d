"""Changes and answers in which several apps take part."""
