import { describe, expect, it } from 'vitest'
import { linesOf } from './note'

const shape = (text: string) => linesOf(text, 'Jonas').map(({ speaker, text, is_user }) => `${speaker}${is_user ? '*' : ''}: ${text}`)

describe('linesOf', () => {
  it('makes a line of every paragraph', () => {
    expect(shape('Call the yard.\nThey open at nine.\n\n\nBuy jackets.\n')).toEqual(['Jonas*: Call the yard.\nThey open at nine.', 'Jonas*: Buy jackets.'])
  })
  it('knows who is quoted', () => {
    expect(shape('Met Maya.\nMaya: The hull is sound.\nÉlise Dr. Hale: Yes\nJonas: Fine')).toEqual(['Jonas*: Met Maya.', 'Maya: The hull is sound.', 'Élise Dr. Hale: Yes', 'Jonas*: Fine'])
  })
  it('takes no address, time or list for a speaker', () => {
    expect(shape('see https://a.example: there\nat 10:30: coffee\nthings to buy: milk')).toHaveLength(1)
    expect(shape(' \n\n ')).toEqual([])
  })
})
