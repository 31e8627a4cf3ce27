import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sdkFolder } from './plugin-rig.ts'

const proto = resolve(import.meta.dirname, '../../../proto')
const load = createRequire(join(sdkFolder, 'index.js'))
// Some SDK modules require that others are loaded first.
load('@pulumi/pulumi/proto/provider_pb')

/** The used parts of a field in a descriptor from `buf build`. */
interface Field {
  readonly name: string
  readonly jsonName: string
  readonly number: number
  readonly type: string
  readonly typeName?: string
  readonly label?: string
  readonly oneofIndex?: number
  readonly proto3Optional?: boolean
}
interface Message {
  readonly name: string
  readonly field?: readonly Field[]
  readonly nestedType?: readonly Message[]
  readonly enumType?: readonly { readonly name: string }[]
  readonly oneofDecl?: readonly { readonly name: string }[]
  readonly options?: { readonly mapEntry?: boolean }
}
interface File {
  readonly name: string
  readonly package: string
  readonly messageType?: readonly Message[]
  readonly enumType?: readonly { readonly name: string }[]
  readonly service?: readonly { readonly name: string; readonly method: readonly Method[] }[]
}
interface Method {
  readonly name: string
  readonly inputType: string
  readonly outputType: string
}

const image = JSON.parse(
  execFileSync(join(proto, '../node_modules/.bin/buf'), ['build', '-o', '-#format=json'], {
    cwd: proto,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  }),
) as { readonly file: readonly File[] }

/** Fields of Pulumi 3.274.1 that the SDK of the fixtures, 3.270.0, does not have. */
const newerFields: readonly string[] = [
  'GenerateProgramRequest.mapper_target',
  'GenerateProjectRequest.mapper_target',
]

/** Methods of services that Antichain does not call. */
const unusedMethods: readonly string[] = [
  '/pulumirpc.Converter/ConvertSnippet false',
  '/pulumirpc.Converter/ConvertState false',
]

/** The files of Pulumi. The SDK has no JavaScript for those of Google. */
const files = image.file.filter(({ name }) => name.startsWith('pulumi/'))

interface Codec {
  readonly encode: (value: unknown) => { readonly finish: () => Uint8Array }
  readonly decode: (bytes: Uint8Array) => unknown
  readonly create: (value: unknown) => Record<string, unknown>
}
interface SdkMessage {
  readonly toObject: () => Record<string, unknown>
  readonly serializeBinary: () => Uint8Array
}
interface SdkMessageClass {
  new (): SdkMessage
  readonly deserializeBinary: (bytes: Uint8Array) => SdkMessage
}

function modulePathOf(file: File): string {
  return file.name.replace(/^pulumi\//, '').replace(/\.proto$/, '')
}

/**
 * Returns the messages and those nested in them, without map entries. Each has a path: the names of
 * the messages that contain it, and its own name.
 */
function messagesOf(messages: readonly Message[], outer: readonly string[]): [string[], Message][] {
  return messages.flatMap(message => {
    const path = [...outer, message.name]
    if (message.options?.mapEntry === true) return []
    return [[path, message] as [string[], Message], ...messagesOf(message.nestedType ?? [], path)]
  })
}

/** Returns the names of the enums of a file, including nested ones. */
function enumsOf(file: File): readonly (readonly string[])[] {
  const nestedEnums = messagesOf(file.messageType ?? [], []).flatMap(([names, message]) =>
    (message.enumType ?? []).map(({ name }) => [...names, name]),
  )
  return [...(file.enumType ?? []).map(({ name }) => [name]), ...nestedEnums]
}

/**
 * Returns an SDK key in the spelling of `sdkFieldNameOf`: in lower case, and without the prefix
 * `pb_` of reserved words of JavaScript.
 */
function nameOfKey(key: string): string {
  return key.replace(/^pb_/, '').toLowerCase()
}

/** Returns a value of a field that differs from its default. Messages in it are undefined. */
function createSample(field: Field, message: Message): unknown {
  const entry = message.nestedType?.find(each => field.typeName?.endsWith(`.${each.name}`))
  if (entry?.options?.mapEntry === true) {
    const value = entry.field?.find(each => each.number === 2)
    return new Map([['k', value === undefined ? undefined : createSingleValue(value)]])
  }
  return field.label === 'LABEL_REPEATED' ? [createSingleValue(field)] : createSingleValue(field)
}

function createSingleValue(field: Field): unknown {
  switch (field.type) {
    case 'TYPE_STRING':
      return `${field.name}!`
    case 'TYPE_BOOL':
      return true
    case 'TYPE_BYTES':
      return new Uint8Array([1, 2])
    case 'TYPE_ENUM':
      return 1
    case 'TYPE_MESSAGE':
      return field.typeName === '.google.protobuf.Struct'
        ? { a: [1, null, 'x', { b: true }] }
        : field.typeName === '.google.protobuf.Value'
          ? 'value'
          : undefined
    default:
      return field.number
  }
}

/**
 * Returns the SDK's field name in lower case: the joined words of the proto name, then `list` or
 * `map`.
 */
function sdkFieldNameOf(field: Field, message: Message): string {
  const value = createSample(field, message)
  const suffix = value instanceof Map ? 'map' : Array.isArray(value) ? 'list' : ''
  return field.name.replaceAll('_', '').toLowerCase() + suffix
}

/** The SDK cannot convert a ViewStep to an object: the class of one field is missing. */
const messagesWithoutToObject = ['ViewStep']

describe.each(files.map(file => [modulePathOf(file), file] as const))('%s', (path, file) => {
  const messages = messagesOf(file.messageType ?? [], [])

  test('has the field numbers and types of the SDK', async () => {
    const ownModule = (await import(join(proto, 'gen/pulumi', `${path}.ts`))) as Record<
      string,
      Codec
    >
    const sdkModule = load(`@pulumi/pulumi/proto/${path}_pb`) as Record<string, unknown>
    for (const [names, message] of messages) {
      const codec = ownModule[names.join('_')]
      const sdkExport = names.reduce<unknown>(
        (namespace, name) => (namespace as Record<string, unknown>)[name],
        sdkModule,
      )
      if (sdkExport === undefined) throw new Error(`the SDK has no ${names.join('.')}`)
      if (messagesWithoutToObject.includes(names.join('.'))) continue
      const SdkClass = sdkExport as SdkMessageClass
      const emptyObject = new SdkClass().toObject()
      const expectedKeys = (message.field ?? []).map(field => sdkFieldNameOf(field, message))
      const unexpectedKeys = Object.keys(emptyObject).filter(
        key => !expectedKeys.includes(nameOfKey(key)),
      )
      expect([names.join('.'), unexpectedKeys]).toEqual([names.join('.'), []])
      for (const field of message.field ?? []) {
        const value = createSample(field, message)
        // A field with a message has no sample value. Each message is tested separately.
        if (value === undefined || codec === undefined || containsMessage(value)) continue
        const isChoice = field.oneofIndex !== undefined && field.proto3Optional !== true
        const oneof = message.oneofDecl?.[field.oneofIndex ?? 0]?.name ?? ''
        const messageInput = isChoice
          ? { [oneof]: { $case: field.jsonName, value } }
          : { [findJsonName(codec, field)]: value }
        const ownMessage = codec.create(messageInput)
        const decoded = SdkClass.deserializeBinary(codec.encode(ownMessage).finish())
        const changed = Object.entries(decoded.toObject()).filter(
          ([key, each]) => JSON.stringify(each) !== JSON.stringify(emptyObject[key]),
        )
        const label = `${names.join('.')}.${field.name}`
        if (newerFields.includes(label)) continue
        expect([label, changed.map(([key]) => nameOfKey(key))]).toEqual([
          label,
          [sdkFieldNameOf(field, message)],
        ])
        expect(codec.decode(decoded.serializeBinary())).toEqual(ownMessage)
      }
    }
  })

  const enums = enumsOf(file)
  if (enums.length > 0)
    test('has the constants of the SDK', async () => {
      const ownModule = (await import(join(proto, 'gen/pulumi', `${path}.ts`))) as Record<
        string,
        object
      >
      const sdkModule = load(`@pulumi/pulumi/proto/${path}_pb`) as Record<string, unknown>
      for (const names of enums) {
        const sdkExport = names.reduce<unknown>(
          (namespace, name) => (namespace as Record<string, unknown>)[name],
          sdkModule,
        )
        expect([names, ownModule[names.join('_')]]).toMatchObject([names, sdkExport])
      }
    })

  if (file.service !== undefined)
    test('has the methods of the SDK', async () => {
      const ownModule = (await import(join(proto, 'gen/pulumi', `${path}.ts`))) as Record<
        string,
        unknown
      >
      const sdkModule = load(`@pulumi/pulumi/proto/${path}_grpc_pb`) as Record<string, unknown>
      for (const { name } of file.service ?? []) {
        const ownMethods = methodSignaturesOf(ownModule[`${name}Service`])
        const sdkMethods = methodSignaturesOf(sdkModule[`${name}Service`])
        expect(ownMethods).toEqual(sdkMethods.filter(method => !unusedMethods.includes(method)))
      }
    })
})

/** Reports whether a sample of a field contains a message instead of a value. */
function containsMessage(value: unknown): boolean {
  if (Array.isArray(value)) return value[0] === undefined
  return value instanceof Map && value.get('k') === undefined
}

function findJsonName(codec: Codec, field: Field): string {
  const jsonNames = Object.keys(codec.create({}))
  return jsonNames.find(key => key.toLowerCase() === field.jsonName.toLowerCase()) ?? field.jsonName
}

function methodSignaturesOf(definition: unknown): readonly string[] {
  const methods = Object.values(
    definition as Record<string, { path: string; responseStream: boolean }>,
  )
  return methods.map(({ path, responseStream }) => `${path} ${responseStream}`).sort()
}
