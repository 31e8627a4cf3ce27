'use strict'
// Creates the classes and functions of a package from descriptions of them.
const pulumi = require('@pulumi/pulumi')
const manifest = require('./package.json')

const { name, version, server = '', parameterization, extensionParameterization } = manifest.pulumi
const parameters = parameterization ?? extensionParameterization

/** Returns the reference of the package, or undefined for a package without parameters. */
async function getPackage() {
  if (parameters === undefined) return undefined
  return pulumi.runtime.registerPackage({
    baseProviderName: name,
    baseProviderVersion: version,
    baseProviderDownloadUrl: server,
    packageName: parameters.name,
    packageVersion: parameters.version,
    base64Parameter: parameters.value,
    ...(parameterization === undefined ? { extension: true } : {}),
  })
}

const packageRef = () => (parameters === undefined ? undefined : getPackage())

/**
 * Options of all resources and calls. With parameters there are none, because the reference of the
 * package contains its version and its address.
 */
const defaultOptions =
  parameters === undefined
    ? { version, ...(server === '' ? {} : { pluginDownloadURL: server }) }
    : {}

/** Options of custom resources. Those of Terraform are deleted before they are replaced. */
const resourceOptions =
  name === 'terraform-provider' ? { ...defaultOptions, deleteBeforeReplace: true } : defaultOptions

function withDefaults(options, additions = {}, defaults = defaultOptions) {
  return pulumi.mergeOptions(pulumi.mergeOptions(defaults, options ?? {}), additions)
}

/** Returns what replaces a missing value: an environment variable, or else the default. */
function readDefault({ env = [], isText = false, default: value }) {
  const text = env.map(variable => process.env[variable]).find(Boolean)
  if (text === undefined || isText) return text ?? value
  if (/^(1|t|true)$/i.test(text)) return true
  if (/^(0|f|false)$/i.test(text)) return false
  return Number.isNaN(Number.parseFloat(text)) ? value : Number.parseFloat(text)
}

/** Returns the inputs of a resource from its arguments. Inputs with `isSecret` become secrets. */
function readInputs(description, args, type) {
  const inputs = {}
  for (const [property, input] of Object.entries(description.inputs)) {
    if (input.isRequired && args?.[property] === undefined)
      throw new Error(`Missing required property '${property}' of ${type}`)
    const value = 'const' in input ? input.const : (args?.[property] ?? readDefault(input))
    if (value === undefined || value === null) continue
    const encodedValue = input.isJson ? pulumi.output(value).apply(toJson) : value
    inputs[property] = input.isSecret ? pulumi.secret(encodedValue) : encodedValue
  }
  return inputs
}

/** Encodes an input of a provider: plugins receive all values other than strings as JSON. */
function toJson(value) {
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns all properties of a resource. A property that is no input has no value yet. */
function readProperties(description, argsOrState, options, type) {
  const properties = Object.fromEntries(description.outputs.map(key => [key, undefined]))
  if (options?.urn !== undefined) return properties
  if (options?.id !== undefined) return { ...properties, ...argsOrState }
  return { ...properties, ...readInputs(description, argsOrState, type) }
}

/** Gives a class its name, its type, and the function `isInstance`. */
function completeClass(resourceClass, className, type, isProvider) {
  Object.defineProperty(resourceClass, 'name', { value: className })
  resourceClass.__pulumiType = type
  resourceClass.isInstance = value =>
    value !== undefined &&
    value !== null &&
    value.__pulumiType === (isProvider ? `pulumi:providers:${type}` : type)
  return resourceClass
}

exports.createResource = (className, description) => {
  const { type, secrets = [], aliases = [], isComponent = false } = description
  const additions = {
    ...(secrets.length > 0 && !isComponent ? { additionalSecretOutputs: secrets } : {}),
    ...(aliases.length > 0 ? { aliases: aliases.map(alias => ({ type: alias })) } : {}),
  }
  const Base = isComponent ? pulumi.ComponentResource : pulumi.CustomResource
  class Resource extends Base {
    constructor(resourceName, argsOrState, options) {
      const properties = readProperties(description, argsOrState, options, type)
      super(
        type,
        resourceName,
        properties,
        withDefaults(options, additions, isComponent ? defaultOptions : resourceOptions),
        isComponent,
        packageRef(),
      )
    }
  }
  if (!isComponent)
    Resource.get = (resourceName, id, state, options) =>
      new Resource(resourceName, state, { ...options, id })
  return completeClass(Resource, className, type, false)
}

exports.createProvider = (packageName, description) => {
  const { secrets = [] } = description
  const additions = secrets.length > 0 ? { additionalSecretOutputs: secrets } : {}
  class Provider extends pulumi.ProviderResource {
    constructor(resourceName, args, options) {
      const isReference = options?.urn !== undefined
      const inputs = isReference ? {} : readInputs(description, args, packageName)
      super(
        packageName,
        resourceName,
        inputs,
        withDefaults(options, additions),
        false,
        packageRef(),
      )
    }
  }
  return completeClass(Provider, 'Provider', packageName, true)
}

/**
 * Returns a function that calls a function of the package. `positions`: the names of its arguments,
 * if they are positional.
 */
function bindCall(invoke, token, { positions, hasArguments = true }) {
  const readArguments = values => {
    if (positions === undefined)
      return hasArguments ? [values[0] ?? {}, values[1]] : [{}, values[0]]
    const args = Object.fromEntries(positions.map((key, index) => [key, values[index]]))
    return [args, values[positions.length]]
  }
  return (...values) => {
    const [args, options] = readArguments(values)
    return invoke(token, args, withDefaults(options), packageRef())
  }
}

/** Creates a function with plain arguments. `isSingle`: the result is not an object. */
exports.createFunction = (token, description) => {
  const { invoke, invokeSingle } = pulumi.runtime
  return bindCall(description.isSingle ? invokeSingle : invoke, token, description)
}

/** Creates a function that takes and returns outputs. */
exports.createOutputFunction = (token, description) => {
  const { invokeOutput, invokeSingleOutput } = pulumi.runtime
  return bindCall(description.isSingle ? invokeSingleOutput : invokeOutput, token, description)
}

/** Defines configuration variables, which are read when they are used. */
exports.defineVariables = (target, packageName, variables) => {
  for (const [key, variable] of Object.entries(variables))
    Object.defineProperty(target, key, {
      enumerable: true,
      get() {
        const config = new pulumi.Config(packageName)
        const value = variable.isText ? config.get(key) : config.getObject(key)
        return value ?? readDefault(variable)
      },
    })
}

/** Defines modules, which are loaded when they are used. */
exports.defineModules = (target, modules) => {
  for (const [key, load] of Object.entries(modules))
    Object.defineProperty(target, key, { enumerable: true, get: load })
}

/** Lets references to resources in outputs become instances of their classes. */
exports.registerTypes = (packageName, resources) => {
  const construct = (resourceName, type, urn) => {
    const resourceClass = resources[type]
    if (resourceClass === undefined) throw new Error(`unknown resource type ${type}`)
    return new resourceClass(resourceName, undefined, { urn })
  }
  const modules = new Set(Object.keys(resources).map(type => type.split(':')[1] ?? ''))
  for (const module of modules)
    pulumi.runtime.registerResourceModule(packageName, module, {
      version: manifest.version,
      construct,
    })
}

exports.registerProvider = (packageName, Provider) => {
  pulumi.runtime.registerResourcePackage(packageName, {
    version: manifest.version,
    constructProvider: (resourceName, _type, urn) => new Provider(resourceName, undefined, { urn }),
  })
}
