"""The web page for the person in the loop: a local server, and the page that it shows.

One `Desk` stands between a project and everybody who works on it. People come first: whatever they say is recorded in turn,
within milliseconds, and a `Sampler` uses the time between. What everybody sees is a `Board`, which is replaced as a whole.
"""
