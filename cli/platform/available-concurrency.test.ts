import { expect, test } from 'vitest'
import { readAvailableConcurrency } from './available-concurrency.ts'

/** Creates a client of an account with these reservations by the names of functions. */
function createClient(unreserved: number, reservations: Readonly<Record<string, number>>) {
  const send = async (command: object): Promise<never> => {
    const { input } = command as { input: { readonly FunctionName?: string } }
    if (input.FunctionName === undefined)
      return { AccountLimit: { UnreservedConcurrentExecutions: unreserved } } as never
    const reserved = reservations[input.FunctionName]
    if (reserved !== undefined) return { ReservedConcurrentExecutions: reserved } as never
    throw Object.assign(new Error('missing'), { name: 'ResourceNotFoundException' })
  }
  return { send }
}

test('a new installation may use the concurrency that no function has reserved', async () => {
  expect(await readAvailableConcurrency(createClient(1_000, {}), 'site')).toBe(1_000)
})

test('the reservations of the installation count as available, those of others do not', async () => {
  const own = { 'site-api': 100, 'site-service': 50, 'site-webhook': 20 }
  const client = createClient(680, { ...own, 'other-api': 150 })
  expect(await readAvailableConcurrency(client, 'site')).toBe(850)
})

test('a denied request throws PLATFORM_PERMISSION_MISSING', async () => {
  const send = async (): Promise<never> => {
    throw Object.assign(new Error('denied'), { name: 'AccessDeniedException' })
  }
  await expect(readAvailableConcurrency({ send }, 'site')).rejects.toMatchObject({
    code: 'PLATFORM_PERMISSION_MISSING',
  })
})
