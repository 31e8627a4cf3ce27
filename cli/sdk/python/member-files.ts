import type { ObjectSpec } from '../../../shared/providers/package-schema/package-schema.ts'
import {
  findUsedTypes,
  isMethod,
  listModules,
  listSubmodules,
  type Member,
  parseReference,
  requireType,
} from '../package-members.ts'
import type { Annotator } from './annotations.ts'
import { formatFunction, type PackageFunction } from './function-text.ts'
import type { ModuleFile } from './module-text.ts'
import { toPythonName } from './python-names.ts'
import type { PythonPackage } from './python-package.ts'
import { formatResource, type ResourceClass } from './resource-text.ts'

/** Returns the files of the resources, of the provider and of the functions of a package. */
export function listMemberFiles(
  pythonPackage: PythonPackage,
  annotator: Annotator,
): readonly ModuleFile[] {
  const { schema } = pythonPackage
  const nameFile = createFileNamer(pythonPackage)
  const provider: Member = { token: schema.name, module: '', name: 'Provider' }
  // An extension has no provider of its own.
  const providers = schema.extensionParameterization === undefined ? [provider] : []
  const resources = Object.keys(schema.resources ?? {}).map(pythonPackage.readMember)
  const functions = Object.keys(schema.functions ?? {})
    .filter(token => !isMethod(schema, token))
    .map(pythonPackage.readMember)
  const nameArgs = createArgsNamer(pythonPackage)
  const describeResource = (member: Member, isProvider: boolean): ResourceClass => ({
    name: member.name,
    argsName: nameArgs(member),
    token: member.token,
    isProvider,
    spec: (isProvider ? schema.provider : schema.resources?.[member.token]) ?? {},
  })
  return [
    ...[...providers, ...resources].map(member => {
      const isProvider = member === provider
      return {
        module: member.module,
        name: nameFile(member),
        lines: formatResource(schema, describeResource(member, isProvider), annotator),
        resource: { className: member.name, token: member.token, isProvider },
      }
    }),
    ...functions.map(member => ({
      module: member.module,
      name: nameFile(member),
      lines: formatFunction(describeFunction(pythonPackage, member), annotator),
    })),
  ]
}

/**
 * Returns the function that names the file of a member. A name gets an underscore at its end if
 * another file of the module, or a submodule, has the name already.
 */
function createFileNamer({ schema, readMember }: PythonPackage): (member: Member) => string {
  const { resources, functions, types } = schema
  const tokens = [resources, functions, types].flatMap(specs => Object.keys(specs ?? {}))
  const modules = listModules([...tokens.map(readMember), { module: 'config' }])
  const paths = new Set(modules.flatMap(module => listSubmodules(module, modules)))
  return ({ module, name }) => {
    const prefix = module === '' ? '' : `${module}/`
    let file = toPythonName(name)
    while (paths.has(`${prefix}${file}`)) file = `${file}_`
    paths.add(`${prefix}${file}`)
    return file
  }
}

/** Returns the function that names the class of arguments. It avoids the names of nested types. */
function createArgsNamer({
  schema,
  readMember,
  isBridged,
}: PythonPackage): (member: Member) => string {
  const resources = [...Object.values(schema.resources ?? {}), schema.provider ?? {}]
  const inputs = [
    ...resources.flatMap(({ inputProperties, stateInputs }) => [
      ...Object.values(inputProperties ?? {}),
      ...Object.values(stateInputs?.properties ?? {}),
    ]),
    ...Object.values(isBridged ? (schema.functions ?? {}) : {}).flatMap(({ inputs: spec }) =>
      Object.values(spec?.properties ?? {}),
    ),
  ]
  const usedNames = new Set(
    [...findUsedTypes(schema, inputs)]
      .map(readMember)
      .map(({ module, name }) => `${module} ${name}`),
  )
  return ({ module, name }) => `${name}${usedNames.has(`${module} ${name}`) ? 'InitArgs' : 'Args'}`
}

function describeFunction(pythonPackage: PythonPackage, member: Member): PackageFunction {
  const { schema, readMember } = pythonPackage
  const spec = schema.functions?.[member.token] ?? {}
  const functionFields = { name: toPythonName(member.name), token: member.token, spec }
  const { outputs } = spec
  if (outputs?.$ref?.startsWith('#/types/') === true) {
    const { token } = parseReference(schema, outputs.$ref)
    const type = requireType(schema, token)
    if (type.enum === undefined)
      return { ...functionFields, resultName: readMember(token).name, result: type }
  }
  const result: ObjectSpec | undefined = outputs?.properties === undefined ? undefined : outputs
  return { ...functionFields, resultName: `${member.name}Result`, result }
}
