/* Is not C. */
#include <stdio.h>

int main(void) {
    printf("%d\n", undeclared_name)
}
