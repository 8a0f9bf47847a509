# session.txt with LWP
use strict;
use warnings;
use HTTP::Request::Common qw(GET POST DELETE);
use LWP::UserAgent;
use URI;

my $agent = LWP::UserAgent->new;
open my $session, '<', $ENV{COMMERCE_SESSION} or die $!;
while (my $line = <$session>) {
    chomp $line;
    my ($status, $key, $method, $path, $form, $wanted) = split /\|/, $line, -1;
    my @form = map { split /=/, $_, 2 } split /&/, $form;
    my $uri = URI->new($ENV{COMMERCE_BASE_URL} . $path);
    $uri->query_form(@form) if $method eq 'GET';
    my $request = $method eq 'POST' ? POST($uri, \@form) : $method eq 'GET' ? GET($uri) : DELETE($uri);
    $request->authorization_basic($ENV{COMMERCE_API_KEY}, '') if $key;
    my $answer = $agent->request($request);
    my $text = $answer->content;
    die "$line: $text\n" unless $answer->code == $status and $wanted eq '' ? $text eq '' : index($text, $wanted) >= 0;
}
print "session complete\n";
