// RecordReading
