/** Faker with the data that generated records are drawn from. */
import { Faker } from '@faker-js/faker'
import locale from './faker-data.json'

export const faker = new Faker({ locale })
