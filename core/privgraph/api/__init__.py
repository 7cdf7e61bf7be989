"""What `import privgraph` offers to people who write Python: the rooms below in few words, and nothing of its
own.

Runs go through the same spec, store and worker as those of the app and the command line.
"""
