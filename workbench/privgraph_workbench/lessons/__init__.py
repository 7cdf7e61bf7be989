"""Six lessons: scripts of steps, each a few sentences, a control, a figure and a question. No Streamlit."""

from privgraph_workbench.lessons.script import Figure, Lesson, Question, Step
from privgraph_workbench.lessons.six import LESSONS

__all__ = ["LESSONS", "Figure", "Lesson", "Question", "Step"]
