"""How the answerability classifier was trained. PyTorch is needed for this alone: `docs/answerability.md`."""
