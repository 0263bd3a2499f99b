"""Files: written whole or not at all, safetensors, compressed and encoded text, standard input."""
