import { describe, expect, test } from 'vitest'
import type { MarksPort, SealingPort } from '../../shared/ports/documents.ts'
import { type OpenAdapter, toEpochMs, createStackId, withAdapter } from './open-adapter.ts'

const inOneMinute = () => toEpochMs(Date.now() + 60_000)

/** Tests marks, which exist until they expire. */
export function defineMarksContract(
  name: string,
  open: OpenAdapter<{ readonly marks: MarksPort }>,
): void {
  describe(`marks: ${name}`, () => {
    let marks: MarksPort
    withAdapter(open, adapter => {
      marks = adapter.marks
    })

    test('a mark is set once', async () => {
      const key = `mark ${createStackId()}`
      expect(await marks.isMarked(key)).toBe(false)
      expect(await marks.mark(key, inOneMinute())).toBe(true)
      expect(await marks.mark(key, inOneMinute())).toBe(false)
      expect(await marks.isMarked(key)).toBe(true)
      expect(await marks.isMarked(`${key}x`)).toBe(false)
    })

    test('of many concurrent marks one succeeds', async () => {
      const key = `race ${createStackId()}`
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => marks.mark(key, inOneMinute())),
      )
      expect(answers.filter(Boolean)).toHaveLength(1)
    })

    test('an expired mark does not exist', async () => {
      const key = `over ${createStackId()}`
      const past = toEpochMs(Date.now() - 1)
      expect(await marks.mark(key, past)).toBe(true)
      expect(await marks.isMarked(key)).toBe(false)
      expect(await marks.mark(key, inOneMinute())).toBe(true)
      expect(await marks.mark(key, inOneMinute())).toBe(false)
    })

    test('a mark can be removed, also twice', async () => {
      const key = `away ${createStackId()}`
      await marks.mark(key, inOneMinute())
      await marks.unmark(key)
      await marks.unmark(key)
      expect(await marks.isMarked(key)).toBe(false)
      expect(await marks.mark(key, inOneMinute())).toBe(true)
    })

    test('a mark may have a long name with any letters, and different names are different marks', async () => {
      const key = `${createStackId()} ü\n${'x'.repeat(3_000)}`
      expect(await marks.mark(key, inOneMinute())).toBe(true)
      expect(await marks.isMarked(key)).toBe(true)
      expect(await marks.isMarked(`${key}y`)).toBe(false)
    })

    test('the removal of a missing mark leaves nothing behind', async () => {
      const key = `never ${createStackId()}`
      await marks.unmark(key)
      expect(await marks.isMarked(key)).toBe(false)
      expect(await marks.mark(key, inOneMinute())).toBe(true)
    })

    test('many expired marks do not hide a valid one', async () => {
      const key = `many ${createStackId()}`
      await marks.mark(key, inOneMinute())
      // One new mark deletes only some of these (`marksClearedPerMark`).
      for (let index = 0; index < 60; index += 1)
        await marks.mark(`${key} ${index}`, toEpochMs(Date.now() - 1))
      expect(await marks.mark(key, inOneMinute())).toBe(false)
    })
  })
}

/** Tests the encryption of secrets in documents. */
export function defineSealingContract(
  name: string,
  open: OpenAdapter<{ readonly sealing: SealingPort }>,
): void {
  describe(`sealing: ${name}`, () => {
    let sealing: SealingPort
    withAdapter(open, adapter => {
      sealing = adapter.sealing
    })
    const unreadable = { code: 'SEALED_UNREADABLE' }

    test.each(['', 'hunter2', 'ü€\n', 'x'.repeat(5000)])(
      '%j is opened as it was sealed',
      async text => {
        const sealed = await sealing.seal(text, 'webhook * a')
        expect(text === '' || !sealed.includes(text)).toBe(true)
        expect(await sealing.open(sealed, 'webhook * a')).toBe(text)
      },
    )

    test('the same text is sealed to a different text each time', async () => {
      const [firstSealed, secondSealed] = [
        await sealing.seal('a', 'x'),
        await sealing.seal('a', 'x'),
      ]
      expect(firstSealed).not.toBe(secondSealed)
    })

    test('a text that was sealed for one document cannot be opened for another', async () => {
      const sealed = await sealing.seal('a', 'webhook * a')
      await expect(sealing.open(sealed, 'webhook * b')).rejects.toMatchObject(unreadable)
    })

    test('a sealed text that was changed or truncated cannot be opened', async () => {
      const sealed = await sealing.seal('secret words', 'x')
      for (let index = 0; index < sealed.length; index += 3) {
        const otherCharacter = sealed[index] === 'A' ? 'B' : 'A'
        const changedText = sealed.slice(0, index) + otherCharacter + sealed.slice(index + 1)
        await expect(sealing.open(changedText, 'x')).rejects.toMatchObject(unreadable)
      }
      for (const truncated of ['', 'v1:', sealed.slice(0, 20)])
        await expect(sealing.open(truncated, 'x')).rejects.toMatchObject(unreadable)
    })
  })
}
