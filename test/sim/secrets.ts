import type { SecretsManager } from '../../shared/secrets/crypter.ts'

/** Part of every secret text of a simulated program, so that checks can search for it. */
export const secretMark = 'hush-'

/**
 * A secrets manager without randomness and cost. A search does not find the plaintext in its
 * ciphertext, which suffices for the simulation.
 */
export const simSecrets: SecretsManager = {
  type: 'simulated',
  state: {},
  crypter: {
    encrypt: text => `sealed:${Buffer.from(text).toString('base64')}`,
    decrypt: text => Buffer.from(text.slice('sealed:'.length), 'base64').toString('utf8'),
  },
  digest: text => {
    let [one, two] = [0x811c9dc5, 0x1234567]
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at)
      one = Math.imul(one ^ code, 0x01000193)
      two = Math.imul(two ^ code, 0x85ebca6b) + one
    }
    return `${(one >>> 0).toString(16)}${(two >>> 0).toString(16)}`
  },
}
