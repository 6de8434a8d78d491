"""The daily deal: the same four deals for everybody on a day, played alone with the house."""
