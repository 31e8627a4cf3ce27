'use strict'
// The package of the Terraform provider `hashicorp/time`: its parameter, and the types that the
// program uses. The names are those of Terraform in camel case.
const { CustomResource, runtime } = require('@pulumi/pulumi')

const version = '0.14.2'
const parameter = { remote: { url: 'registry.opentofu.org/hashicorp/time', version } }

const reference = runtime.registerPackage({
  baseProviderName: 'terraform-provider',
  baseProviderVersion: '1.1.3',
  baseProviderDownloadUrl: '',
  packageName: 'time',
  packageVersion: version,
  base64Parameter: Buffer.from(JSON.stringify(parameter)).toString('base64'),
})

exports.Static = class extends CustomResource {
  constructor(name, args, options) {
    super('time:index/static:Static', name, { unix: undefined, ...args }, options, false, reference)
  }
}

exports.Offset = class extends CustomResource {
  constructor(name, args, options) {
    const properties = { rfc3339: undefined, ...args }
    super('time:index/offset:Offset', name, properties, options, false, reference)
  }
}
