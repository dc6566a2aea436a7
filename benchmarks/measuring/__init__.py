"""What every measurement needs: made-up features, a clock, memory, the machine's facts, child processes, results."""
