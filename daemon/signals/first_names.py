"""First names that are common in Germany, Austria, France, Spain and Latin America, few of which are words or places too."""

from __future__ import annotations

from typing import Final

_NAMES: Final = """
Achim Agnes Alexander Andrea Andreas Angela Anja Anke Anna Anne Annette Antje Axel Barbara Bastian Beate Benjamin
Bernd Bernhard Bettina Birgit Björn Brigitte Britta Carsten Charlotte Christa Christian Christiane Christina
Christoph Claudia Daniela Detlef Dieter Dirk Dominik Doris Elfriede Elisabeth Elke Emma Erika Eva Fabian Felix
Florian Frank Franz Friedrich Gabriele Georg Gerhard Gerd Gisela Günter Günther Hannah Hannelore Hans Harald Heike
Heinrich Heinz Helga Helmut Herbert Hermann Holger Horst Ingo Ingrid Inge Jan Jens Joachim Johanna Johannes Jonas
Jörg Josef Julia Jürgen Jutta Karin Karl Karsten Katharina Kathrin Katja Kerstin Klaus Kurt Lars Lea Lena Leonie
Lina Ludwig Lukas Manfred Manuela Marianne Marie Marlene Martin Martina Matthias Maximilian Melanie Michael Michaela
Monika Moritz Nadine Nicole Niklas Nina Norbert Olaf Oliver Otto Patrick Paul Peter Petra Philipp Rainer Ralf Regina
Reinhard Renate Robert Rolf Roland Rudolf Sabine Sandra Sarah Sebastian Silke Simone Sonja Sophie Stefan Stefanie
Steffen Susanne Sven Swen Tanja Thomas Thorsten Tim Tobias Torsten Udo Ulrich Ulrike Ursula Ute Uwe Vanessa Vera
Volker Walter Waltraud Werner Wilhelm Wolfgang Yvonne Mehmet Mustafa Ayşe Fatma Emre Murat Ahmet Hüseyin Elif Zeynep
Yasemin Adèle Adrien Agathe Alain Alexandre Alice Amandine Amélie Anaïs André Antoine Arnaud Arthur Aurélie Aurélien
Baptiste Béatrice Benoît Bernard Bertrand Bruno Camille Carole Caroline Catherine Cécile Cédric Céline Chantal Chloé
Christelle Christine Christophe Claire Clément Clémence Colette Corinne Damien Delphine Denis Didier Dominique
Édouard Éliane Élodie Émilie Emmanuel Emmanuelle Éric Estelle Étienne Fabien Fabrice Florence François Françoise
Frédéric Gabriel Gaëlle Geneviève Georges Gérard Gilles Grégory Guillaume Guy Hélène Henri Hervé Hugo Isabelle
Jacqueline Jacques Jean Jeanne Jérémy Jérôme Joël Josiane Julie Julien Juliette Karine Laetitia Laurence Laurent Léa
Léo Louis Louise Luc Lucas Lucie Ludovic Manon Marc Marcel Margaux Marguerite Marion Mathieu Mathilde Maurice Maxime
Mélanie Mickaël Michel Michèle Mireille Monique Nathalie Nicolas Noémie Olivier Pascal Patricia Paulette Philippe
Pierre Quentin Raphaël Raymond Régis Rémi Renée Roger Romain Sabrina Sandrine Sébastien Serge Simon Stéphane
Stéphanie Suzanne Sylvain Sylvie Théo Thérèse Thierry Valentin Valérie Véronique Victor Vincent Virginie Viviane
Xavier Yann Yannick Yves Yvette Mohamed Fatima Karim Nadia Rachid Samira Aïcha Mamadou Aminata Ousmane Moussa
Adriana Alba Alberto Alejandra Alejandro Alfonso Alfredo Alicia Álvaro Amparo Ana Andrés Ángel Ángela Antonia
Antonio Arturo Beatriz Begoña Belén Carla Carlos Carmen Carolina César Clara Concepción Consuelo Cristina Daniel
David Diego Dolores Eduardo Elena Emilio Encarnación Enrique Ernesto Esperanza Esteban Esther Eugenia Fátima Felipe
Fernando Francisca Francisco Gema Gerardo Gloria Gonzalo Guadalupe Guillermo Gustavo Héctor Ignacio Inés Irene
Isabel Ismael Iván Jaime Javier Jesús Joaquín Jordi Jorge José Josefa Juan Juana Julián Julio Laura Leticia Lorena
Lorenzo Lourdes Lucía Luis Luisa Manuel Marcos Margarita María Mariano Marina Mario Marta Mateo Matías Mercedes
Miguel Mónica Montserrat Natalia Nuria Óscar Pablo Paloma Paula Pedro Pilar Rafael Ramón Raquel Raúl Ricardo Rocío
Rodrigo Rosario Rubén Salvador Santiago Sergio Silvia Sofía Soledad Susana Teresa Tomás Vicente Víctor Yolanda
Xochitl
"""
FIRST_NAMES: Final = frozenset(_NAMES.split())
