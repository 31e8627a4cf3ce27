/** A Terraform provider in memory, whose calls a test can replace one by one. */
import type { ProviderDiagnostic, TerraformClient } from '../client/terraform-client.ts'
import type { PlainValue } from '../plan/objects.fixture.ts'
import {
  createAttributeMessage,
  identityAttributes,
  identityCodec,
  lookupCodec,
  lookupSchema,
  type PlainObject,
  createSchemaMessage,
  thingCodec,
  thingSchema,
  ticketCodec,
  ticketSchema,
} from './scripted-schemas.fixture.ts'

/** Creates an error of the provider. */
export function createErrorDiagnostic(summary: string): ProviderDiagnostic {
  return { severity: 'error', summary, detail: '', path: [] }
}

const encodeText = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Appends a letter to private data, so that a test sees each call that received the data. */
const appendLetter = (data: Uint8Array, letter: string): Uint8Array =>
  encodeText(`${new TextDecoder().decode(data)}${letter}`)

function objectOfPlain(plain: PlainValue): PlainObject | undefined {
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain)
    ? (plain as PlainObject)
    : undefined
}

/** A response without problems. */
const withoutProblems = { diagnostics: [] }
/** A response without problems to a call that a provider could defer. */
const withoutDeferral = { ...withoutProblems, deferralReason: undefined }
const failUnscripted = (): never => {
  throw new Error('this call is not scripted')
}

/**
 * Creates the client of a provider. The provider has the resource `x_thing`, which can be listed,
 * and the data source `x_lookup`. It also has the action `x_poke`, the ephemeral resource
 * `x_ticket` and the function `join`.
 *
 * The plan of a new object leaves `id` unknown, and `note` too unless it is set. A change of `zone`
 * requires a replacement. Plans append `p` to private data, and applies append `a`.
 */
export function createScriptedClient(): TerraformClient {
  return {
    protocol: 6,
    ...createSchemaScript(),
    ...createChangeScript(),
    ...createStateScript(),
    async readDataSource({ config }) {
      const found = { ...objectOfPlain(lookupCodec.decode(config)), value: 'found' }
      return { ...withoutDeferral, state: lookupCodec.encode(found) }
    },
    async openEphemeralResource({ config }) {
      const opened = { ...objectOfPlain(ticketCodec.decode(config)), token: 't1' }
      return {
        ...withoutDeferral,
        result: ticketCodec.encode(opened),
        renewAtMs: undefined,
        private: encodeText('o'),
      }
    },
    renewEphemeralResource: async request => ({
      ...withoutProblems,
      ...request,
      renewAtMs: undefined,
    }),
    closeEphemeralResource: async () => withoutProblems,
    callFunction: failUnscripted,
    async *listResource({ includeResourceObject }) {
      for (const label of ['a', 'b'])
        yield {
          ...withoutProblems,
          displayName: `thing ${label}`,
          identity: identityCodec.encode({ label }),
          resourceObject: includeResourceObject
            ? thingCodec.encode({ id: label, label })
            : undefined,
        }
    },
    planAction: async () => withoutDeferral,
    async *invokeAction() {
      yield { kind: 'progress', message: 'half done' }
      yield { kind: 'completed', ...withoutProblems }
    },
    stopProvider: async () => undefined,
  }
}

function createSchemaScript(): Pick<
  TerraformClient,
  | 'getProviderSchema'
  | 'getResourceIdentitySchemas'
  | 'getFunctions'
  | 'validateProviderConfig'
  | 'validateResourceConfig'
  | 'validateDataResourceConfig'
  | 'validateEphemeralResourceConfig'
  | 'validateListResourceConfig'
  | 'validateActionConfig'
  | 'configureProvider'
> {
  const functions = new Map([
    [
      'join',
      {
        parameters: [createParameterMessage('left'), createParameterMessage('right')],
        variadicParameter: undefined,
        returnType: 'string',
        summary: '',
        description: { text: '', isMarkdown: false },
        deprecationMessage: '',
      },
    ],
  ])
  const capabilities = {
    planDestroy: true,
    getProviderSchemaOptional: true,
    generateResourceConfig: false,
  }
  return {
    getProviderSchema: async () => ({
      ...withoutProblems,
      provider: createSchemaMessage([createAttributeMessage('endpoint', 'o')]),
      providerMeta: undefined,
      resources: new Map([['x_thing', thingSchema]]),
      dataSources: new Map([['x_lookup', lookupSchema]]),
      ephemeralResources: new Map([['x_ticket', ticketSchema]]),
      listResources: new Map([
        ['x_thing', createSchemaMessage([createAttributeMessage('prefix', 'o')])],
      ]),
      actions: new Map([['x_poke', createSchemaMessage([createAttributeMessage('label', 'r')])]]),
      functions,
      capabilities,
    }),
    getResourceIdentitySchemas: async () => ({
      ...withoutProblems,
      schemas: new Map([['x_thing', { version: 0, attributes: identityAttributes }]]),
    }),
    getFunctions: async () => ({ ...withoutProblems, functions }),
    validateProviderConfig: async () => withoutProblems,
    validateResourceConfig: async () => withoutProblems,
    validateDataResourceConfig: async () => withoutProblems,
    validateEphemeralResourceConfig: async () => withoutProblems,
    validateListResourceConfig: async () => withoutProblems,
    validateActionConfig: async () => withoutProblems,
    configureProvider: async () => withoutProblems,
  }
}

function createParameterMessage(name: string) {
  const description = { text: '', isMarkdown: false }
  return { name, type: 'string', allowsNull: false, allowsUnknown: false, description }
}

function createChangeScript(): Pick<TerraformClient, 'planResourceChange' | 'applyResourceChange'> {
  return {
    async planResourceChange({ priorState, proposedNewState, priorPrivate, priorIdentity }) {
      const prior = objectOfPlain(thingCodec.decode(priorState))
      const proposed = objectOfPlain(thingCodec.decode(proposedNewState))
      const unknowns = { id: '?', note: '?' }
      const completed: PlainObject = { ...(prior === undefined && unknowns), ...proposed }
      // `pass` is write-only, so a plan must not have its value.
      const { pass: _, ...planned } = completed
      const isReplaced = prior !== undefined && planned['zone'] !== prior['zone']
      return {
        ...withoutDeferral,
        plannedState: thingCodec.encode(proposed === undefined ? null : planned),
        requiresReplace: isReplaced ? [[{ kind: 'attribute', name: 'zone' }]] : [],
        plannedPrivate: appendLetter(priorPrivate, 'p'),
        plannedIdentity: priorIdentity,
        isLegacyTypeSystem: false,
      }
    },
    async applyResourceChange({ plannedState, plannedPrivate }) {
      const planned = objectOfPlain(thingCodec.decode(plannedState))
      const { label = '' } = planned ?? {}
      const applied = Object.fromEntries(
        Object.entries(planned ?? {}).map(([name, value]) => [
          name,
          value === '?' && typeof label === 'string' ? `${name}-${label}` : value,
        ]),
      )
      return {
        ...withoutProblems,
        newState: thingCodec.encode(planned === undefined ? null : applied),
        private: planned === undefined ? encodeText('') : appendLetter(plannedPrivate, 'a'),
        newIdentity: planned === undefined ? undefined : identityCodec.encode({ label }),
        isLegacyTypeSystem: false,
      }
    },
  }
}

function createStateScript(): Pick<
  TerraformClient,
  | 'upgradeResourceState'
  | 'upgradeResourceIdentity'
  | 'readResource'
  | 'importResourceState'
  | 'moveResourceState'
  | 'generateResourceConfig'
> {
  return {
    upgradeResourceState: async ({ stored }) => ({
      ...withoutProblems,
      upgradedState: 'json' in stored ? stored : undefined,
    }),
    upgradeResourceIdentity: failUnscripted,
    readResource: async ({ currentState, private: data, currentIdentity }) => ({
      ...withoutDeferral,
      newState: currentState,
      private: data,
      newIdentity: currentIdentity,
    }),
    importResourceState: async ({ typeName, id }) => ({
      ...withoutDeferral,
      importedResources: [
        {
          typeName,
          state: thingCodec.encode({ id, label: id }),
          private: encodeText('i'),
          identity: undefined,
        },
      ],
    }),
    moveResourceState: failUnscripted,
    generateResourceConfig: failUnscripted,
  }
}
