import * as z from 'zod'
import { parseJson } from '../../values/parse-json.ts'
import type {
  CheckedSchema,
  CheckedType,
  PropertySchema,
  PropertySchemas,
  PropertyType,
} from './checked-schema.ts'
import { parseForm } from '../../values/parse-form.ts'

const typeForm = z.looseObject({
  type: z.string().optional(),
  $ref: z.string().optional(),
  get items(): z.ZodOptional<typeof typeForm> {
    return typeForm.optional()
  },
  get additionalProperties(): z.ZodOptional<z.ZodUnion<readonly [typeof typeForm, z.ZodBoolean]>> {
    return z.union([typeForm, z.boolean()]).optional()
  },
  get oneOf(): z.ZodOptional<z.ZodArray<typeof typeForm>> {
    return z.array(typeForm).optional()
  },
  const: z.union([z.string(), z.number(), z.boolean()]).optional(),
  secret: z.boolean().optional(),
})

const propertiesForm = z.record(z.string(), typeForm)

const objectForm = z.looseObject({
  type: z.string().optional(),
  enum: z
    .array(z.looseObject({ value: z.union([z.string(), z.number(), z.boolean()]) }))
    .optional(),
  properties: propertiesForm.optional(),
  required: z.array(z.string()).optional(),
})

const resourceForm = objectForm.extend({
  inputProperties: propertiesForm.optional(),
  requiredInputs: z.array(z.string()).optional(),
  isComponent: z.boolean().optional(),
})

const schemaForm = z.looseObject({
  name: z.string(),
  types: z.record(z.string(), objectForm).optional(),
  resources: z.record(z.string(), resourceForm).optional(),
})

type TypeForm = z.infer<typeof typeForm>
type SchemaForm = z.infer<typeof schemaForm>

/** Reads the schema of a Pulumi package. Text of another format gives flaws, and no types. */
export function readPackageSchema(text: string): CheckedSchema {
  const json = parseJson(text)
  if (json === undefined) return { types: new Map(), flaws: ['the schema is not JSON'], text }
  const parsed = parseForm(schemaForm, json)
  if (!parsed.success) {
    const flaws = parsed.error.issues.map(
      ({ path, message }) => `${path.map(String).join('.') || 'the schema'}: ${message}`,
    )
    return { types: new Map(), flaws, text }
  }
  const resources = Object.entries(parsed.data.resources ?? {}).filter(
    ([, resource]) => resource.isComponent !== true,
  )
  const types = resources.map(([token, resource]): readonly [string, CheckedType] => [
    token,
    {
      token,
      inputs: readProperties(parsed.data, {
        properties: resource.inputProperties ?? {},
        required: resource.requiredInputs ?? [],
      }),
      secretOutputs: Object.entries(resource.properties ?? {}).flatMap(([name, { secret }]) =>
        secret === true ? [name] : [],
      ),
    },
  ])
  return { types: new Map(types), flaws: findFlaws(parsed.data), text }
}

function readProperties(
  schema: SchemaForm,
  object: {
    readonly properties: Readonly<Record<string, TypeForm>>
    readonly required: readonly string[]
  },
): PropertySchemas {
  return new Map(
    Object.entries(object.properties).map(([name, property]): readonly [string, PropertySchema] => [
      name,
      {
        type: readType(schema, property),
        isRequired: object.required.includes(name),
        isSecret: property.secret === true,
        isWriteOnly: false,
      },
    ]),
  )
}

const plainKinds = ['string', 'number', 'integer', 'boolean'] as const

function readType(schema: SchemaForm, type: TypeForm): PropertyType {
  if (type.const !== undefined) return { kind: 'choice', values: [type.const] }
  if (type.$ref !== undefined) return readReference(schema, type.$ref)
  const [first] = type.oneOf ?? []
  if (first !== undefined) return readType(schema, first)
  const plain = plainKinds.find(kind => kind === type.type)
  if (plain !== undefined) return { kind: plain }
  if (type.type === 'array') return { kind: 'list', element: readType(schema, type.items ?? {}) }
  if (type.type === 'object') {
    const { additionalProperties } = type
    return {
      kind: 'map',
      element:
        typeof additionalProperties === 'object'
          ? readType(schema, additionalProperties)
          : { kind: 'string' },
    }
  }
  return { kind: 'any' }
}

function readReference(schema: SchemaForm, reference: string): PropertyType {
  if (/^pulumi\.json#\/(Asset|Archive)$/.test(reference)) return { kind: 'asset' }
  const object = findType(schema, reference)
  if (object === undefined) return { kind: 'any' }
  if (object.enum !== undefined)
    return { kind: 'choice', values: object.enum.map(({ value }) => value) }
  const { properties = {}, required = [] } = object
  return { kind: 'object', readProperties: () => readProperties(schema, { properties, required }) }
}

function findType(schema: SchemaForm, reference: string): z.infer<typeof objectForm> | undefined {
  const [, token] = /^#\/types\/(.+)$/.exec(reference) ?? []
  return token === undefined ? undefined : schema.types?.[decodeURIComponent(token)]
}

function findFlaws(schema: SchemaForm): readonly string[] {
  const objects = [
    ...Object.entries(schema.types ?? {}).map(
      ([token, type]) => [token, type.properties, type.required] as const,
    ),
    ...Object.entries(schema.resources ?? {}).flatMap(([token, resource]) => [
      [token, resource.properties, resource.required] as const,
      [token, resource.inputProperties, resource.requiredInputs] as const,
    ]),
  ]
  return [
    ...Object.keys(schema.resources ?? {}).flatMap(token =>
      /^[^:]+:[^:]*:[^:]+$/.test(token) ? [] : [`'${token}' is not a token: package:module:Type`],
    ),
    ...objects.flatMap(([token, properties = {}, required = []]) => [
      ...required.flatMap(name =>
        name in properties ? [] : [`'${token}' requires '${name}', which it does not declare`],
      ),
      ...Object.entries(properties).flatMap(([name, type]) =>
        findDanglingReferences(schema, type).map(
          reference => `'${name}' of '${token}' refers to '${reference}', which does not exist`,
        ),
      ),
    ]),
  ]
}

function findDanglingReferences(schema: SchemaForm, type: TypeForm): readonly string[] {
  const { $ref, items, additionalProperties, oneOf = [] } = type
  const isDangling = $ref?.startsWith('#/types/') === true && findType(schema, $ref) === undefined
  const parts = [
    ...(items === undefined ? [] : [items]),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
    ...oneOf,
  ]
  return [
    ...(isDangling ? [$ref] : []),
    ...parts.flatMap(part => findDanglingReferences(schema, part)),
  ]
}
