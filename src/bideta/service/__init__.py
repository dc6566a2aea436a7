"""Pictures in, answers out: what the command line, the studio, the live loop, the demo and the report share.

choices    presets, priors and the default encoder, by name
encoding   files, uploads, frames of a dataset or one frame of a camera → readouts, in bounded memory
backgrounds  the sensor's background for encoders that ask for it; untouched frames subtracted from pictures
ahead        work done by threads while the encoder is busy, in order and in bounded memory
sensors    adapt with a note of the encoder, open a file with the encoder it was made with
noted_encoder  what a sensor's file may say about its encoder, and what only a person may
answers    a batch answered: probabilities, reliability, rows of a table
plugins    a plugin with checked settings
"""
