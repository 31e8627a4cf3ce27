import { describe, expect, test } from 'vitest'
import { computeReservations, computeStreamsMax } from '../../infra/reserved-concurrency.ts'

describe('reserved concurrency', () => {
  test.each([
    ['a new account', { availableConcurrency: 10 }, [0, 0, 0]],
    ['an account that is one call too small', { availableConcurrency: 269 }, [0, 0, 0]],
    ['the smallest account that keeps 100 calls', { availableConcurrency: 270 }, [100, 50, 20]],
    ['an account with the usual quota', { availableConcurrency: 1_000 }, [100, 50, 20]],
    ['an unknown account', {}, [0, 0, 0]],
    [
      'settings that reserve nothing for the API',
      { apiConcurrency: 0, availableConcurrency: 1_000 },
      [0, 50, 20],
    ],
    [
      'settings with reservations in an unknown account',
      { apiConcurrency: 40, serviceConcurrency: 7 },
      [40, 7, 0],
    ],
    [
      'a setting that leaves room for the others',
      { apiConcurrency: 400, availableConcurrency: 570 },
      [400, 50, 20],
    ],
    [
      'a setting that leaves no room for the others',
      { apiConcurrency: 400, availableConcurrency: 569 },
      [400, 0, 0],
    ],
  ])('of %s', (_, settings, [api, service, webhook]) => {
    expect(computeReservations(settings)).toEqual({ api, service, webhook })
  })
})

describe('streams of the installation', () => {
  test.each([
    ['half of the default reservation', { availableConcurrency: 1_000 }, 50],
    ['half of the reservation of the settings', { apiConcurrency: 30 }, 15],
    ['half of the calls of a small account', { availableConcurrency: 10 }, 5],
    ['one for the smallest reservation', { apiConcurrency: 1 }, 1],
    ['at most a hundred', { apiConcurrency: 1_000 }, 100],
    ['half of the default of an unknown account', {}, 50],
  ])('are %s', (_, settings, streamsMax) => {
    expect(computeStreamsMax(settings)).toBe(streamsMax)
  })
})
