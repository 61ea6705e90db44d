# Coup in Perl: the starter's moves.
use strict;
use warnings;

my ($file, undef, undef, $cards, @moves) = @ARGV;
my %offered = map { $_ => 1 } @moves;

sub choose {
    return "C" if $offered{"C"};
    return "A" if $offered{"A"} && $cards =~ /\^/;
    return "T" if $offered{"T"} && $cards =~ /\$/;
    return "I\n" if $offered{"I\n"};
    return "s" if $offered{"s"} && $cards =~ /!/;
    return "p" if $offered{"p"};
    return "\n" if $offered{"\n"};
    return $moves[-1];
}

open(my $history, ">>", $file) or die "$file: $!";
print $history choose();
close($history);

if (length($cards) > 2) {    # an exchange: keep the best
    my $best = '$^*!~';
    my @kept = sort { index($best, $a) <=> index($best, $b) } split(//, $cards);
    print @kept[0 .. $#kept - 2], "\n";
}
