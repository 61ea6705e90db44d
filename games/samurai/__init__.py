"""Negotiate and Conquer (SamurAI Coding 2014): four daimyo, six lords, hidden nights."""
