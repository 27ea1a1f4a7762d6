"""What the engines of batch jobs and of many trainings share: worker processes and Ray."""
