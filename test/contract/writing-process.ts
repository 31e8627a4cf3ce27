/**
 * A process that writes to a store until it is killed: `writing-process.ts <home> <name>`. The
 * process first prints its role (`owner` of the store or `client`). Then it prints the number of
 * every operation whose begin was acknowledged.
 */
import { openEmbeddedPlatform } from '../../shared/platform/embedded/embedded-platform.ts'
import { deploymentIdOf, stackIdOf } from '../../shared/records/ids.ts'
import { toExecutorId, toOperationId, toOwnerToken } from './open-adapter.ts'

const [home = '', name = ''] = process.argv.slice(2)
const deployment = deploymentIdOf(stackIdOf('killed', name), 1)
const platform = await openEmbeddedPlatform({ home })
process.stdout.write(`${platform.getRole()}\n`)

let lastNumber = 0
async function writeForEver(): Promise<never> {
  for (;;) {
    lastNumber += 1
    const operation = lastNumber
    await platform.operations.begin(deployment, toOperationId(operation), {
      owner: toOwnerToken(`${name}-${operation}`),
      executor: toExecutorId(name),
      expectedAttempt: 0,
      needs: 0,
    })
    process.stdout.write(`${operation}\n`)
  }
}
await Promise.all(Array.from({ length: 16 }, writeForEver))
