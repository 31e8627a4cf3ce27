/**
 * `npm run fuzz -- [--decoder NAME] [--inputs N] [--seed S] [--from I]` runs mutated inputs through
 * the decoders, and prints one JSON line for each decoder. `--from I --inputs 1` repeats one input.
 * The exit status is 1 when a defect was found.
 */
import { parseArgs } from 'node:util'
import { listTargetNames } from './read-corpus.ts'
import { runFuzz } from './run-fuzz.ts'

const { values } = parseArgs({
  options: {
    decoder: { type: 'string' },
    inputs: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
  },
})
const targets = values.decoder === undefined ? listTargetNames() : [values.decoder]
for (const target of targets) {
  const { defects, ...report } = await runFuzz({
    decoder: target,
    seed: Number(values.seed),
    from: Number(values.from),
    count: Number(values.inputs),
  })
  process.stdout.write(`${JSON.stringify({ ...report, defectCount: defects.length })}\n`)
  for (const { index, input, problem } of defects)
    process.stdout.write(
      `defect: --decoder ${target} --seed ${values.seed} --from ${index} --inputs 1\n` +
        `${problem.slice(0, 1500)}\n${input.slice(0, 600)}\n`,
    )
  if (defects.length > 0) process.exitCode = 1
}
