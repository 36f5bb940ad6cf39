import SecretMemory
ProcessHardening.apply()
