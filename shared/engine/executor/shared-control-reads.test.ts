import { expect, test } from 'vitest'
import { type DeploymentId, deploymentIdOf, stackIdOf } from '../../records/ids.ts'
import { shareControlReads } from './shared-control-reads.ts'

const deployment = deploymentIdOf(stackIdOf('project', 'stack'), 1)

test('callers in one turn share a read, which is sent after all of their calls', async () => {
  const turns: (() => void)[] = []
  const sent: DeploymentId[] = []
  const { read } = shareControlReads(
    {
      read: async id => {
        sent.push(id)
        throw new Error('out of order')
      },
    },
    { defer: call => void turns.push(call) },
  )
  const reads = [read(deployment), read(deployment)]
  expect(sent).toEqual([])
  for (const turn of turns.splice(0)) turn()
  await expect(Promise.allSettled(reads)).resolves.toMatchObject([
    { reason: { message: 'out of order' } },
    { reason: { message: 'out of order' } },
  ])
  expect(sent).toEqual([deployment])
  const later = read(deployment).catch(() => 'refused')
  for (const turn of turns.splice(0)) turn()
  await later
  expect(sent).toEqual([deployment, deployment])
})
