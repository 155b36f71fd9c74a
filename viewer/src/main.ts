document.title = "Limpet replay";
