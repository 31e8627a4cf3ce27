import type { SecretsManager } from '../../shared/secrets/crypter.ts'

/** Part of every secret text of a simulated program, so that checks can search for it. */
export const secretMark = 'hush-'

/**
 * A secrets manager without randomness and cost. Its ciphertext does not contain the plaintext,
 * which suffices for the simulation.
 */
export const simSecrets: SecretsManager = {
  type: 'simulated',
  state: {},
  crypter: {
    encrypt: text => `sealed:${Buffer.from(text).toString('base64')}`,
    decrypt: text => Buffer.from(text.slice('sealed:'.length), 'base64').toString('utf8'),
  },
  digest: text => {
    let [firstHash, secondHash] = [0x811c9dc5, 0x1234567]
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index)
      firstHash = Math.imul(firstHash ^ code, 0x01000193)
      secondHash = Math.imul(secondHash ^ code, 0x85ebca6b) + firstHash
    }
    return `${(firstHash >>> 0).toString(16)}${(secondHash >>> 0).toString(16)}`
  },
}
