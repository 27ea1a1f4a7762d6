"""Small treebanks, models and networks that the tests of several rooms share."""
