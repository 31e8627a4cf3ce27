/** State files of OpenTofu. */

/** The addresses of both programs of the provider. */
export const sources = {
  tfgold: 'golden.test/golden/tfgold',
  tfgold5: 'golden.test/golden/tfgold5',
}

/** Formats a state file with recorded states. */
export function formatStateFile(entries) {
  const resources = entries.map(([address, state]) => {
    const [type, name] = address.split('.')
    const { attributes, attributes_flat: flatAttributes, schema_version: version } = state
    const instance = {
      schema_version: version,
      ...(flatAttributes ? { attributes_flat: flatAttributes } : { attributes }),
      private: Buffer.from(state.private).toString('base64'),
    }
    const provider = `provider["${sources[type.split('_')[0]]}"]`
    return { mode: 'managed', type, name, provider, instances: [instance] }
  })
  return { version: 4, serial: 1, lineage: 'golden', outputs: {}, resources }
}
