# Prints without end. Expect: printed more than
exec cat /dev/zero
