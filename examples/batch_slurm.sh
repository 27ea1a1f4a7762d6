#!/bin/sh
# A SLURM array that orders a corpus, one node per part, all of them writing to one shared folder.
#
#     JOB=$(sbatch --parsable --array=1-8 examples/batch_slurm.sh trees/ ordered)
#     sbatch --dependency=afterany:$JOB examples/batch_slurm.sh trees/ ordered
#
# The second line completes the folder: it does what failed parts left over and writes the manifest.
#SBATCH --job-name=syntagma
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task=32
#SBATCH --time=12:00:00
#SBATCH --requeue
set -eu
exec syntagma batch order "$1" --output "$2" --format json --gzip \
    --jobs "${SLURM_CPUS_PER_TASK:-1}" \
    ${SLURM_ARRAY_TASK_ID:+--part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT"}
