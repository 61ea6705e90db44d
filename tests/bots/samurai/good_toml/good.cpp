// Goes round the lords one after another; never faults.
#include <iostream>

int main() {
    std::cout << "READY" << std::endl;
    int turns, daimyo, lords, ignored, following = 0;
    std::cin >> turns >> daimyo >> lords;
    for (int i = 0; i < lords; i++) std::cin >> ignored;
    for (int turn = 1; turn <= turns && std::cin; turn++) {
        char time;
        std::cin >> ignored >> time;
        const bool day = time == 'D';
        for (int i = 0; i < lords * daimyo + lords + (day ? lords : 0); i++) std::cin >> ignored;
        for (int pick = 0; pick < (day ? 5 : 2); pick++) std::cout << (pick ? " " : "") << following++ % lords;
        std::cout << std::endl;
    }
}
