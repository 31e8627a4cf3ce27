/**
 * The schema of a package in Pulumi's format: types, resources and functions by their tokens, as
 * GetSchema returns them. Fields that no form of this file has are dropped. Source:
 * pkg/codegen/schema/pulumi.json of Pulumi 3.274.1.
 */
import * as z from 'zod'

/** The type of a property or element. */
export interface TypeSpec {
  readonly type?: string | undefined
  /** `#/types/<token>`, `#/resources/<token>` or a type of Pulumi, such as `pulumi.json#/Any`. */
  readonly $ref?: string | undefined
  readonly items?: TypeSpec | undefined
  readonly additionalProperties?: TypeSpec | undefined
  readonly oneOf?: readonly TypeSpec[] | undefined
  /** Whether the value must not be an output. */
  readonly plain?: boolean | undefined
}

const typeFields = {
  type: z.string().optional(),
  $ref: z.string().optional(),
  items: z.lazy((): z.ZodType<TypeSpec> => typeForm).optional(),
  additionalProperties: z.lazy((): z.ZodType<TypeSpec> => typeForm).optional(),
  oneOf: z
    .array(z.lazy((): z.ZodType<TypeSpec> => typeForm))
    .readonly()
    .optional(),
  plain: z.boolean().optional(),
}

const typeForm: z.ZodType<TypeSpec> = z.object(typeFields)

const literalForm = z.union([z.string(), z.number(), z.boolean()])

const propertyForm = z.object({
  ...typeFields,
  description: z.string().optional(),
  const: literalForm.optional(),
  default: literalForm.optional(),
  defaultInfo: z.object({ environment: z.array(z.string()).optional() }).optional(),
  deprecationMessage: z.string().optional(),
  secret: z.boolean().optional(),
  replaceOnChanges: z.boolean().optional(),
})

/** A property of an object: its type, its documentation and its secrecy. */
export type PropertySpec = z.infer<typeof propertyForm>

const nodeRequirementsForm = z.object({
  nodejs: z
    .object({
      requiredInputs: z.array(z.string()).optional(),
      requiredOutputs: z.array(z.string()).optional(),
    })
    .optional(),
})

const objectForm = z.object({
  type: z.string().optional(),
  description: z.string().optional(),
  properties: z.record(z.string(), propertyForm).optional(),
  required: z.array(z.string()).optional(),
})

/** A description of objects with properties. */
export type ObjectSpec = z.infer<typeof objectForm>

const complexTypeForm = objectForm.extend({
  enum: z
    .array(
      z.object({
        name: z.string().optional(),
        description: z.string().optional(),
        value: literalForm,
        deprecationMessage: z.string().optional(),
      }),
    )
    .optional(),
  /** In Node, inputs and outputs may require different properties. */
  language: nodeRequirementsForm.optional(),
})

/** A named type: an object or an enumeration. */
export type ComplexTypeSpec = z.infer<typeof complexTypeForm>

const resourceForm = objectForm.omit({ type: true }).extend({
  inputProperties: z.record(z.string(), propertyForm).optional(),
  requiredInputs: z.array(z.string()).optional(),
  stateInputs: objectForm.optional(),
  aliases: z.array(z.object({ type: z.string().optional() })).optional(),
  deprecationMessage: z.string().optional(),
  isComponent: z.boolean().optional(),
  /** The tokens of the methods by their names. */
  methods: z.record(z.string(), z.string()).optional(),
})

/** A resource type. The provider is one, too. */
export type ResourceSpec = z.infer<typeof resourceForm>

const functionForm = z.object({
  description: z.string().optional(),
  inputs: objectForm.optional(),
  /** An object with properties, or another type. */
  outputs: objectForm.extend(typeFields).optional(),
  /** The arguments in order, if the function takes them by position. */
  multiArgumentInputs: z.array(z.string()).optional(),
  deprecationMessage: z.string().optional(),
})

/** A function: its arguments and its result. */
export type FunctionSpec = z.infer<typeof functionForm>

const parameterizationForm = z.object({
  baseProvider: z.object({ name: z.string(), version: z.string().optional() }),
  /** Base64. */
  parameter: z.string().optional(),
})

/** The form of a schema. */
export const packageSchemaForm = z.object({
  name: z.string(),
  /** The publisher in the names of SDKs. Absent: `pulumi`. */
  namespace: z.string().optional(),
  version: z.string().optional(),
  displayName: z.string().optional(),
  description: z.string().optional(),
  attribution: z.string().optional(),
  homepage: z.string().optional(),
  repository: z.string().optional(),
  publisher: z.string().optional(),
  license: z.string().optional(),
  keywords: z.array(z.string()).optional(),
  pluginDownloadURL: z.string().optional(),
  /** The regular expression that finds the module in the middle part of a token. */
  meta: z.object({ moduleFormat: z.string().optional() }).optional(),
  language: z.record(z.string(), z.json()).optional(),
  config: z
    .object({
      variables: z.record(z.string(), propertyForm).optional(),
      defaults: z.array(z.string()).optional(),
    })
    .optional(),
  types: z.record(z.string(), complexTypeForm).optional(),
  provider: resourceForm.optional(),
  resources: z.record(z.string(), resourceForm).optional(),
  functions: z.record(z.string(), functionForm).optional(),
  parameterization: parameterizationForm.optional(),
  extensionParameterization: parameterizationForm.optional(),
})

/** The schema of a package. */
export type PackageSchema = z.infer<typeof packageSchemaForm>
