import { expect, test } from 'vitest'
import { type PropertyMap, type PropertyValue, secretOf } from '../../../values/value.ts'
import type { TerraformClient } from '../client/terraform-client.ts'
import { propertyNamesOf } from '../mapping/property-names.ts'
import { createPlanObject } from '../plan/objects.fixture.ts'
import { createBlock, createPlainAttribute } from '../values/schema.fixture.ts'
import { impliedTypeOf } from '../values/schema.ts'
import { createRefusal } from './provider-failure.ts'
import { withEphemerals } from './open-ephemerals.ts'
import type { TerraformSession } from './terraform-session.ts'
import { encodeValue } from './wire-values.ts'

const block = createBlock({ name: createPlainAttribute('r'), token: createPlainAttribute('c') })
const type = impliedTypeOf(block)
const schema = { typeName: 'x_ticket', block, type, names: propertyNamesOf(block) }

/** Creates a session whose provider opens tickets with the token `ticket-text`. */
function createSession(): {
  readonly session: TerraformSession
  readonly calls: string[]
  readonly warnings: readonly string[]
} {
  const calls: string[] = []
  const warnings: string[] = []
  const client: Partial<TerraformClient> = {
    validateEphemeralResourceConfig: async () => ({ diagnostics: [] }),
    openEphemeralResource: async () => {
      calls.push('open')
      return {
        diagnostics: [],
        deferralReason: undefined,
        renewAtMs: undefined,
        private: undefined,
        result: encodeValue(createPlanObject(block, { name: 't', token: 'ticket-text' }), type),
      }
    },
    closeEphemeralResource: async () => {
      calls.push('close')
      return { diagnostics: [] }
    },
  }
  const session: Partial<TerraformSession> = {
    client: client as TerraformClient,
    pkg: { name: 'x', requireEphemeral: () => schema } as unknown as TerraformSession['pkg'],
    warn: text => void warnings.push(text),
    waitUntilConfigured: async () => undefined,
    isUnconfigured: () => false,
  }
  return { session: session as TerraformSession, calls, warnings }
}

function createReference(name: PropertyValue, attribute = 'token'): PropertyMap {
  const content = new Map<string, PropertyValue>([
    ['type', 'x_ticket'],
    ['args', new Map([['name', name]])],
    ['attribute', attribute],
  ])
  return new Map([['__ephemeral', content]])
}

test('two references to one ephemeral resource open it once, and it is closed at the end', async () => {
  const { session, calls } = createSession()
  const inputs = new Map([
    ['a', createReference('t')],
    ['b', createReference('t', 'name')],
  ])
  const resolved = await withEphemerals(session, inputs, async values => {
    calls.push('use')
    return values
  })
  expect(calls).toEqual(['open', 'use', 'close'])
  expect(resolved).toEqual(
    new Map([
      ['a', secretOf('ticket-text')],
      ['b', secretOf('t')],
    ]),
  )
})

test('a reference in the arguments of another one is opened and closed, too', async () => {
  const { session, calls } = createSession()
  const inputs = new Map([['a', createReference(createReference('inner'))]])
  await withEphemerals(session, inputs, async () => undefined)
  expect(calls).toEqual(['open', 'open', 'close', 'close'])
})

test('an ephemeral resource is closed after a failure, whose message lacks the value', async () => {
  const { session, calls, warnings } = createSession()
  const inputs = new Map([['a', createReference('t')]])
  const failing = withEphemerals(session, inputs, async (_, inner) => {
    inner.warn('ticket-text is old')
    throw createRefusal('cannot log in with ticket-text')
  })
  await expect(failing).rejects.toThrow('cannot log in with [secret]')
  expect(warnings).toEqual(['[secret] is old'])
  expect(calls).toEqual(['open', 'close'])
})

test('inputs without references call no provider', async () => {
  const { session, calls } = createSession()
  const inputs = new Map([['a', 'text']])
  expect(await withEphemerals(session, inputs, async values => values)).toBe(inputs)
  expect(calls).toEqual([])
})
