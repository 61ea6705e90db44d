# Samurai in Perl: the starter's picks.
use strict;
use warnings;

$| = 1;

sub numbers { return split(" ", <STDIN>); }

sub choose {
    my ($strength, $mine, $picks) = @_;
    my @chosen;
    for (1 .. $picks) {
        my $best = 0;
        for my $lord (1 .. $#$strength) {
            $best = $lord if $strength->[$lord] - $mine->[$lord] > $strength->[$best] - $mine->[$best];
        }
        $mine->[$best]++;
        push(@chosen, $best);
    }
    return @chosen;
}

print "READY\n";
my ($turns, undef, $lords) = numbers();
my @strength = numbers();
for (1 .. $turns) {
    my (undef, $time) = numbers();
    numbers() for 1 .. $lords;    # what everybody sees
    my @mine = numbers();
    numbers() if $time eq "D";    # the night before
    print join(" ", choose(\@strength, \@mine, $time eq "D" ? 5 : 2)), "\n";
}
