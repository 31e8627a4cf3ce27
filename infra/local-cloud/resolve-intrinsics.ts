/** A CloudFormation template, as far as this folder reads it. */
export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>
  readonly Outputs?: Readonly<Record<string, TemplateOutput>>
}

/** A resource of a template. Its properties may contain intrinsic functions. */
export interface TemplateResource {
  readonly Type: string
  readonly Properties?: Readonly<Record<string, unknown>>
}

interface TemplateOutput {
  readonly Value: unknown
  readonly Export?: { readonly Name: unknown }
}

/** The values that CloudFormation would insert into a template. */
export interface TemplateValues {
  /** The pseudo parameters, such as `AWS::Region`. */
  readonly parameters: Readonly<Record<string, string>>
  /**
   * Returns the value of `Ref` for a resource. The properties of the resource contain no intrinsic
   * functions.
   */
  readonly refOf: (resource: TemplateResource, logicalId: string) => string
  /** Returns the attribute `Arn` of a resource. */
  readonly arnOf: (resource: TemplateResource, logicalId: string) => string
}

/**
 * Replaces the intrinsic functions in a value of a template, as CloudFormation does. `templates`
 * contains the template of the value first, and then the templates whose exports the value imports.
 * Throws an Error that names an unknown function or reference. Source: CloudFormation's reference
 * of intrinsic functions.
 */
export function resolveIntrinsics(
  value: unknown,
  templates: readonly Template[],
  values: TemplateValues,
): unknown {
  if (Array.isArray(value)) return value.map(item => resolveIntrinsics(item, templates, values))
  if (typeof value !== 'object' || value === null) return value
  const [firstEntry, ...otherEntries] = Object.entries(value)
  const intrinsic = firstEntry === undefined ? undefined : intrinsics[firstEntry[0]]
  if (firstEntry !== undefined && otherEntries.length === 0 && intrinsic !== undefined)
    return intrinsic(firstEntry[1], templates, values)
  if (firstEntry?.[0].startsWith('Fn::') === true)
    throw new Error(`the template uses ${firstEntry[0]}, which the local cloud does not know`)
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      resolveIntrinsics(member, templates, values),
    ]),
  )
}

type Intrinsic = (
  argument: unknown,
  templates: readonly Template[],
  values: TemplateValues,
) => unknown

const intrinsics: Readonly<Record<string, Intrinsic>> = {
  Ref: resolveReference,
  'Fn::GetAtt': (argument, templates, values) => {
    const [logicalId = '', attribute] = argument as readonly string[]
    // No process gets this address. The local cloud sets the variables of processes to addresses of
    // its own.
    if (attribute === 'FunctionUrl') return `https://${logicalId}.lambda-url.invalid/`
    if (attribute !== 'Arn')
      throw new Error(`the template reads ${logicalId}.${attribute}, which the local cloud lacks`)
    return values.arnOf(findResource(logicalId, templates, values), logicalId)
  },
  'Fn::Join': (argument, templates, values) => {
    const [separator, parts] = argument as readonly [string, readonly unknown[]]
    return parts.map(part => resolveIntrinsics(part, templates, values)).join(separator)
  },
  'Fn::Sub': (argument, templates, values) => {
    if (typeof argument !== 'string')
      throw new Error(
        'the template uses Fn::Sub with variables, which the local cloud does not know',
      )
    return argument.replaceAll(/\$\{([^}]*)\}/g, (_, name: string) =>
      String(resolveReference(name, templates, values)),
    )
  },
  'Fn::ImportValue': (argument, templates, values) => {
    for (const template of templates)
      for (const { Value, Export } of Object.values(template.Outputs ?? {}))
        if (Export?.Name === argument) return resolveIntrinsics(Value, [template], values)
    throw new Error(`no template exports ${String(argument)}`)
  },
}

function resolveReference(
  argument: unknown,
  templates: readonly Template[],
  values: TemplateValues,
): string {
  const name = String(argument)
  const parameter = values.parameters[name]
  if (parameter !== undefined) return parameter
  return values.refOf(findResource(name, templates, values), name)
}

/** Returns a resource with only those properties that `nameProperties` lists, resolved. */
function findResource(
  logicalId: string,
  templates: readonly Template[],
  values: TemplateValues,
): TemplateResource {
  const resource = templates[0]?.Resources[logicalId]
  if (resource === undefined) throw new Error(`the template has no resource ${logicalId}`)
  const { Properties = {} } = resource
  const names = Object.entries(Properties).filter(([key]) => nameProperties.has(key))
  const resolvedNames = names.map(([key, value]) => [
    key,
    resolveIntrinsics(value, templates, values),
  ])
  return { Type: resource.Type, Properties: Object.fromEntries(resolvedNames) }
}

/** The properties that contain the physical name of a resource or distinguish it from others. */
const nameProperties = new Set([
  'BucketName',
  'Description',
  'FunctionName',
  'LogGroupName',
  'QueueName',
  'RoleName',
  'TableName',
])
