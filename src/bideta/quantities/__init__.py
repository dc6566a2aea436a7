"""Quantities of a contact (depth, tilt, force, position) from a few labelled ones: closed form, no gradient step.

In reading order:

targets        name, unit and period of what is measured; angles as points on a circle
scaling        features of one readout, comparable and safe with five labels
kernels        how alike two contacts are: Matérn 5/2 of one readout, linear over all of them
leave_one_out  what a memory would say about a press it had not seen, without a refit
memory         a Gaussian process for one kernel; its scale and noise are chosen by leaving out presses
stacking       how much each memory is listened to
intervals      from residuals of left-out presses to a promised coverage
foreign        contacts that lie farther from the labelled ones than those from each other
algorithm      adapt and infer: all of it in two functions
"""
