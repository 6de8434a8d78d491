"""How a page looks where its link is posted: title, description and a picture."""
