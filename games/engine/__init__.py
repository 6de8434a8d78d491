"""The rules of euchre: pure Python, no clock, no chance, no input or output."""
