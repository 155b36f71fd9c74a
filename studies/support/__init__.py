"""What the studies share: running Limpet, reading its logs, checking numbers, drawing figures,
writing tables into docs pages."""
