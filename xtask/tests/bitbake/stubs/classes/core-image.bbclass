# Tests need only that it can be inherited.
