/**
 * Counts the requests of commands to in-memory models of DynamoDB and S3. The default sizes are 10,
 * 1,000 and 10,000 resources. Writes docs/measured/budget.json. `checkBudget` throws when a command
 * sends more requests than its budget allows.
 * `node bench/budget.ts [--sizes 10,1000,10000]`
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { checkBudget, measureRequests, totalsOf } from '../test/aws/budget.ts'
import { repositoryRoot } from './engine.ts'
import { formatBenchCommand, formatCurrentDate } from './cost/measurement-context.ts'
import type { MeasuredBudget } from './cost/measured-forms.ts'

const { values } = parseArgs({ options: { sizes: { type: 'string', default: '10,1000,10000' } } })
const rows: MeasuredBudget['rows'] = []
for (const size of values.sizes.split(',').map(Number)) {
  const allRequests = await measureRequests(size, commandRequests => {
    const { resources } = commandRequests
    const command = commandRequests.command as MeasuredBudget['rows'][number]['command']
    rows.push({ command, resources, ...totalsOf(commandRequests) })
    console.log(JSON.stringify(rows.at(-1)))
  })
  checkBudget(allRequests)
}
const measuredRequests: MeasuredBudget = {
  date: formatCurrentDate(),
  command: formatBenchCommand('budget'),
  rows,
}
writeFileSync(
  join(repositoryRoot, 'docs/measured/budget.json'),
  `${JSON.stringify(measuredRequests, undefined, 2)}\n`,
)
// The models of the run have open timers, which would keep the process alive.
process.exit(0)
