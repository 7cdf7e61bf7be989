"""The slow twin of stacked prompts: one prompt, tuned and asked as the method `prompt` does it."""

import torch
from torch import Tensor

from privgraph.methods.prompts.few_shot import fresh_prompt
from privgraph.methods.prompts.pretrained import PreparedGraph, recipe_of
from privgraph.methods.prompts.prompt.config import Config
from privgraph.methods.training import Context
from privgraph.nn.ego_graphs import EgoGraphs
from privgraph.nn.prompt_tuning import Tuning


def alone(prepared: PreparedGraph, table: Tensor, config: Config, shots: Tensor, seed: int, asked: EgoGraphs) -> Tensor:
    """(Q, C): logits of a prompt that was tuned on the shots, for the ego-graphs."""
    recipe = recipe_of(config)
    prompt = fresh_prompt(prepared, table, recipe, Context(seed=seed))
    labels = prepared.labels[shots].unsqueeze(0)
    tuning = Tuning(prompt, prepared.backbone, table, prepared.egos(shots), labels, recipe)
    for _ in range(recipe.epochs):
        tuning.step()
    with torch.no_grad():
        return tuning.prompts.answers(prepared.backbone, table, asked)[0]
