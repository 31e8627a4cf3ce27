import { expect, test } from 'vitest'
import { countProtectedTasks } from './count-protected-tasks.ts'

/** Counts the tasks of the cluster `site` with a client that answers each command. */
async function countWith(answers: Readonly<Record<string, object>>) {
  const inputs: unknown[] = []
  const send = async (command: { readonly input: unknown }): Promise<never> => {
    inputs.push(command.input)
    const answer = answers[command.constructor.name]
    if (answer instanceof Error) throw answer
    return answer as never
  }
  return { count: await countProtectedTasks({ send } as never, 'site'), inputs }
}

test('tasks that protect themselves are counted, in the cluster of the group only', async () => {
  const { count, inputs } = await countWith({
    ListTasksCommand: { taskArns: ['a', 'b', 'c'] },
    GetTaskProtectionCommand: {
      protectedTasks: [
        { taskArn: 'a', protectionEnabled: true },
        { taskArn: 'b', protectionEnabled: false },
        { taskArn: 'c', protectionEnabled: true },
      ],
    },
  })
  expect(count).toBe(2)
  expect(inputs).toEqual([{ cluster: 'site' }, { cluster: 'site', tasks: ['a', 'b', 'c'] }])
})

test('without tasks, and without a cluster, the count is 0', async () => {
  expect((await countWith({ ListTasksCommand: { taskArns: [] } })).count).toBe(0)
  const missing = Object.assign(new Error('Cluster not found.'), {
    name: 'ClusterNotFoundException',
    $metadata: { httpStatusCode: 400 },
  })
  expect((await countWith({ ListTasksCommand: missing })).count).toBe(0)
})

test('a missing permission is an error, because a count of 0 would hide the warning of busy tasks', async () => {
  const denied = Object.assign(new Error('not authorized'), {
    name: 'AccessDeniedException',
    $metadata: { httpStatusCode: 400 },
  })
  await expect(countWith({ ListTasksCommand: denied })).rejects.toMatchObject({
    code: 'PLATFORM_PERMISSION_MISSING',
  })
})
