/**
 * `node seeds.ts N` runs the first N seeds of the simulation until one breaks a rule, and says which
 * rule that was: what a mutated tree is judged by.
 */
import { runSeed } from '../sim/many.ts'

const say = (rule: string): never => {
  process.stdout.write(`broken rule: ${rule}\n`)
  process.exit(0)
}

process.on('unhandledRejection', thrown => say(`nobody handled: ${String(thrown).split('\n')[0]}`))
const count = Number(process.argv[2])
for (let seed = 1; seed <= count; seed += 1) {
  const [violation] = (await runSeed(seed)).violations
  if (violation !== undefined) say(`seed ${seed}: ${violation.split('\n').slice(0, 2).join(' ')}`)
}
